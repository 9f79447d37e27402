/// Documents as publishers send them; places, files and people are nobody's.
enum Samples {
  static let quakes = """
    <?xml version="1.0" encoding="UTF-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">
    <title>USGS Magnitude 2.5+ Earthquakes, Past Day</title><updated>2026-11-21T18:04:11Z</updated>
    <author><name>U.S. Geological Survey</name><uri>https://earthquake.usgs.gov/</uri></author>
    <id>https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/2.5_day.atom</id>
    <link rel="self" href="https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/2.5_day.atom"/>
    <icon>https://earthquake.usgs.gov/favicon.ico</icon>
    <entry><id>urn:earthquake-usgs-gov:us:7000test</id><title>M 4.6 - 63 km SE of Sand Point, Alaska</title>\
    <updated>2026-11-21T17:58:20.040Z</updated>\
    <link rel="alternate" type="text/html" href="https://earthquake.usgs.gov/earthquakes/eventpage/us7000test"/>\
    <summary type="html"><![CDATA[<p class="quicksummary"><a href="https://earthquake.usgs.gov/earthquakes/eventpage/us7000test#dyfi" class="mmi-III" title="Did You Feel It?">DYFI? - <strong class="roman">III</strong></a></p><dl><dt>Time</dt><dd>2026-11-21 17:31:09 UTC</dd><dd>2026-11-21 08:31:09 -09:00 at epicenter</dd><dt>Location</dt><dd>54.935&deg;N 159.793&deg;W</dd><dt>Depth</dt><dd>32.40 km (20.13 mi)</dd></dl>]]></summary>\
    <georss:point>54.9351 -159.7934</georss:point><georss:elev>-32400</georss:elev>\
    <category label="Age" term="Past Hour"/><category label="Magnitude" term="Magnitude 4"/>\
    <category label="Contributor" term="us"/></entry>
    <entry><id>urn:earthquake-usgs-gov:pr:71test</id><title>M 2.9 - 8 km S of Guánica, Puerto Rico</title>\
    <updated>2026-11-21T16:10:44.300Z</updated>\
    <link rel="alternate" type="text/html" href="https://earthquake.usgs.gov/earthquakes/eventpage/pr71test"/>\
    <summary type="html"><![CDATA[<dl><dt>Depth</dt><dd>9.00 km</dd></dl>]]></summary>\
    <georss:point>17.894 -66.911</georss:point><georss:elev>-9000</georss:elev>\
    <category label="Age" term="Past Day"/></entry>
    </feed>
    """

  static let atom = """
    <?xml version="1.0" encoding="utf-8"?>
    <!-- a comment with <tags> & ampersands -->
    <?xml-stylesheet type="text/xsl" href="feed.xsl"?>
    <a:feed xmlns:a="http://www.w3.org/2005/Atom" xml:lang="en">
      <a:title type="html">Tide &amp;amp; Weather</a:title>
      <a:subtitle>Harbour   notes</a:subtitle>
      <a:id>tag:harbour.example,2026:feed</a:id>
      <a:updated>2026-03-01T12:00:00+01:00</a:updated>
      <a:entry>
        <a:id>tag:harbour.example,2026:1</a:id>
        <a:title type="text">Spring tide &lt;3.4&#x20;m&gt; &#128674;</a:title>
        <a:link href="/tides?day=1&amp;month=3"/>
        <a:link rel="enclosure" type="audio/mpeg" length="123456" href="https://harbour.example/1.mp3" title="Spoken"/>
        <a:author><a:name>Harbour Office</a:name><a:email>office@harbour.example</a:email></a:author>
        <a:published>2026-02-28T23:30:00-01:30</a:published>
        <a:updated>2026-03-01T01:00:00.5Z</a:updated>
        <a:summary>Water   above the quay.</a:summary>
        <a:content type="xhtml">
          <div xmlns="http://www.w3.org/1999/xhtml"><p>High <b>water</b> at 5&#160;a.m. &amp; 5 p.m.</p><br/></div>
        </a:content>
        <a:category term="tide" scheme="https://harbour.example/terms" label="Tides"/>
        <other xmlns="urn:other"><title>not the title</title></other>
      </a:entry>
      <a:entry>
        <a:id>tag:harbour.example,2026:2</a:id>
        <a:title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Fog in <i>宮城</i></div></a:title>
        <a:updated>2026-03-02T00:00:00Z</a:updated>
        <a:content type="application/pdf" src="https://harbour.example/fog.pdf"/>
      </a:entry>
    </a:feed>
    """

  static let rss = """
    <?xml version="1.0"?>
    <!DOCTYPE rss>
    <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"
      xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#"
      xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"
      xmlns:media="http://search.yahoo.com/mrss/">
      <channel>
        <title>Trail Reports</title><link>https://trails.example/</link>
        <description>What hikers met</description><language>en</language>
        <atom:link href="https://trails.example/rss" rel="self" type="application/rss+xml"/>
        <lastBuildDate>Sat, 07 Mar 2026 08:00:00 GMT</lastBuildDate>
        <image><title>Logo</title><url>https://trails.example/logo.png</url><link>https://trails.example/x</link></image>
        <item>
          <title>Bridge out at mile 12</title>
          <link>https://trails.example/12</link>
          <guid isPermaLink="false">trail-12</guid>
          <description>&lt;p&gt;The bridge is &lt;b&gt;gone&lt;/b&gt;.&lt;/p&gt;</description>
          <content:encoded><![CDATA[<p>The bridge is <b>gone</b>: use the ford.]]]]><![CDATA[></p>]]></content:encoded>
          <author>desk@trails.example (Trail Desk)</author><dc:creator>Ranger Station</dc:creator>
          <category domain="https://trails.example/kinds">closure</category><category>bridge</category>
          <enclosure url="https://trails.example/12.jpg" length="48213" type="image/jpeg"/>
          <media:content url="https://trails.example/12b.jpg" type="image/jpeg" fileSize="9"/>
          <pubDate>Fri, 6 Mar 2026 19:05 EST</pubDate>
          <geo:lat>46.8523</geo:lat><geo:long>-121.7603</geo:long><geo:alt>1640.5</geo:alt>
        </item>
        <item>
          <title>Snow line</title><link>https://trails.example/13</link>
          <pubDate>no date</pubDate>
          <georss:where><gml:Point><gml:pos>46.9 -121.5</gml:pos></gml:Point></georss:where>
        </item>
        <item>
          <description>Neither id nor link</description><georss:line>46.9 -121.5 46.95 -121.45 47 -121.4</georss:line>
        </item>
      </channel>
    </rss>
    """

  static let rdf = """
    <?xml version="1.0" encoding="UTF-8"?>
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
      xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="https://library.example/new"><title>New in the library</title>
        <link>https://library.example/</link><description>Arrivals</description>
        <items><rdf:Seq><rdf:li resource="https://library.example/b/1"/></rdf:Seq></items></channel>
      <item rdf:about="https://library.example/b/1"><title>Charts of the coast</title>
        <link>https://library.example/b/1</link><dc:date>2026-01-15</dc:date><dc:subject>maps</dc:subject></item>
    </rdf:RDF>
    """

  static let gpx = """
    <?xml version="1.0" encoding="UTF-8" standalone="no"?>
    <gpx version="1.1" creator="a receiver" xmlns="http://www.topografix.com/GPX/1/1">
      <metadata><name>Sunday</name><desc>Around the lake</desc><time>2026-05-03T06:00:00Z</time></metadata>
      <wpt lat="47.6062" lon="-122.3321"><ele>4.5</ele><time>2026-05-03T06:10:00Z</time><name>Pier</name>
        <desc>Where it starts</desc><link href="https://lake.example/pier"><text>The pier</text></link><type>Landmark</type></wpt>
      <trk><name>Lap</name><type>running</type>
        <trkseg>
          <trkpt lat="47.60" lon="-122.33"><ele>5</ele><time>2026-05-03T06:11:00Z</time></trkpt>
          <trkpt lat="47.61" lon="-122.34"><ele>6.25</ele><time>2026-05-03T06:12:00Z</time></trkpt>
        </trkseg>
        <trkseg></trkseg>
        <trkseg><trkpt lat="47.62" lon="-122.35"/><trkpt lat="91" lon="0"/></trkseg>
      </trk>
      <rte><name>Way back</name><rtept lat="47.62" lon="-122.35"/><rtept lat="47.60" lon="-122.33"/></rte>
    </gpx>
    """

  static let kml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
      <Document><name>Lake</name><Style id="s"><LineStyle><color>ff0000ff</color></LineStyle></Style>
        <Folder><name>Places</name>
          <Placemark id="pier"><name>Pier</name><description><![CDATA[<b>Start</b>]]></description>
            <Point><coordinates>-122.3321,47.6062,4.5</coordinates></Point></Placemark>
        </Folder>
        <Placemark id="shore"><name>Shore</name><TimeSpan><begin>2026-05</begin></TimeSpan><MultiGeometry>
          <LineString><coordinates>
            -122.33,47.60 -122.34,47.61,6
          </coordinates></LineString><LineString><coordinates>0,0 1,1</coordinates></LineString></MultiGeometry></Placemark>
        <Placemark id="lap"><name>Lap</name><gx:Track>
          <when>2026-05-03T06:11:00Z</when><when>2026-05-03T06:12:00Z</when>
          <gx:coord>-122.33 47.60 5</gx:coord><gx:coord>-122.34 47.61 6.25</gx:coord></gx:Track></Placemark>
      </Document>
    </kml>
    """

  static let all = [
    "quakes": quakes, "atom": atom, "rss": rss, "rdf": rdf, "gpx": gpx, "kml": kml,
  ]
}

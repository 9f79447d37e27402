import CXML

extension LibXML {
  /// What is malformed, as a sentence of ours: libxml2's own words change with its version.
  static func sentence(_ error: xmlError) -> String {
    let (one, two) = (name(error.str1), name(error.str2))
    switch xmlParserErrors(UInt32(bitPattern: error.code)) {
    case XML_ERR_TAG_NAME_MISMATCH:
      return "The tag <\(one)> is open here, and </\(two)> does not close it."
    case XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY:
      return "XML has no entity &\(one);: write the character itself."
    case XML_ERR_ENTITYREF_NO_NAME, XML_ERR_ENTITYREF_SEMICOL_MISSING:
      return "An & here begins no entity: write it as &amp;."
    case XML_ERR_INVALID_CHARREF, XML_ERR_INVALID_HEX_CHARREF, XML_ERR_INVALID_DEC_CHARREF:
      return "The number after &# is not a character that XML allows."
    case XML_ERR_ATTRIBUTE_WITHOUT_VALUE:
      return "The attribute \(one) has no value."
    case XML_ERR_ATTRIBUTE_NOT_STARTED, XML_ERR_ATTRIBUTE_NOT_FINISHED:
      return "The value of an attribute is not between quotes."
    case XML_ERR_LT_IN_ATTRIBUTE:
      return "The value of an attribute has a < in it: a quote may be missing before it."
    case XML_ERR_ATTRIBUTE_REDEFINED:
      return "The attribute \(one) appears twice in one tag."
    case XML_ERR_SPACE_REQUIRED:
      return "A space is missing here, for example between two attributes."
    case XML_ERR_NAME_REQUIRED:
      return
        "A name is missing here: write a < or an & that begins nothing as &lt; or &amp;."
    case XML_ERR_GT_REQUIRED, XML_ERR_LTSLASH_REQUIRED, XML_ERR_EQUAL_REQUIRED:
      return "A tag is not closed correctly here."
    case XML_ERR_INVALID_CHAR:
      return "XML does not allow this character, or the encoding does not have this byte."
    case XML_ERR_INVALID_ENCODING:
      return
        "These bytes do not fit the document's encoding, which is UTF-8 if it names none."
    case XML_ERR_UNSUPPORTED_ENCODING, XML_ERR_UNKNOWN_ENCODING, XML_ERR_ENCODING_NAME,
      XML_ERR_MISSING_ENCODING:
      return "The document names an unknown encoding."
    case XML_ERR_DOCUMENT_END, XML_ERR_EXTRA_CONTENT:
      return "Something follows the last closing tag."
    case XML_ERR_DOCUMENT_EMPTY, XML_ERR_DOCUMENT_START:
      return "The document does not begin with a <, as XML does."
    case XML_ERR_RESERVED_XML_NAME:
      return "An <?xml …?> may only be the first thing in a document."
    case XML_ERR_COMMENT_NOT_FINISHED, XML_ERR_HYPHEN_IN_COMMENT:
      return "A comment has -- in it, or does not end."
    case XML_ERR_MISPLACED_CDATA_END:
      return "A ]]> here ends nothing: write it as ]]&gt;."
    default:
      return "The XML is malformed here."
    }
  }

  /// A name of the document, the beginning of it where it is long.
  private static func name(_ text: UnsafeMutablePointer<CChar>?) -> String {
    guard let text else { return "" }
    let name = String(cString: text)
    return name.count <= 60 ? name : name.prefix(60) + "…"
  }
}

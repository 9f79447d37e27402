/// What the catalog says of everything that a changelog can make, as one query a kind of object.
///
/// Each gives rows of kind, name, the table that it belongs to or null, and a definition, with `$1` as
/// the schema whose name is left out. Numbers, owners and the order of making are in none; what an
/// extension brought is told by the extension alone.
enum Catalog {
  static let queries = [
    schemas, tables, constraints, indexes, views, functions, aggregates, triggers, rules, policies,
    sequences, types, extensions, eventTriggers, statistics, publications, others,
  ]

  /// Of an object of a catalog: it is in a schema of people's, and not an extension's.
  private static func isOurs(_ catalog: String, _ oid: String, _ schema: String) -> String {
    """
    \(schema) IN (SELECT oid FROM pg_namespace
      WHERE nspname !~ '^pg_' AND nspname <> 'information_schema')
    AND \(isNoMember(catalog, oid))
    """
  }

  private static func isNoMember(_ catalog: String, _ oid: String) -> String {
    """
    NOT EXISTS (SELECT FROM pg_depend e
      WHERE e.classid = 'pg_catalog.\(catalog)'::regclass AND e.objid = \(oid) AND e.deptype = 'e')
    """
  }

  /// A name, with its schema where that is another one than `$1`.
  private static func name(_ schema: String, _ name: String) -> String {
    """
    (SELECT CASE nspname WHEN $1 THEN '' ELSE nspname || '.' END FROM pg_namespace
      WHERE oid = \(schema)) || \(name)
    """
  }

  /// What everybody but the owner may do.
  private static func grants(_ list: String, _ kind: String, _ owner: String) -> String {
    """
    coalesce((SELECT E'\\ngrants ' || string_agg(told, ', ' ORDER BY told COLLATE "C")
      FROM (SELECT CASE grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(grantee)::text END || ' '
          || privilege_type || CASE WHEN is_grantable THEN ' again' ELSE '' END AS told
        FROM aclexplode(coalesce(\(list), acldefault('\(kind)', \(owner))))
        WHERE grantee <> \(owner)) AS told), '')
    """
  }

  private static func comment(_ catalog: String, _ oid: String) -> String {
    "coalesce(E'\\ncomment ' || obj_description(\(oid), '\(catalog)'), '')"
  }

  private static let schemas = """
    SELECT 'schema', nspname, NULL,
      'schema' || \(grants("nspacl", "n", "nspowner")) || \(comment("pg_namespace", "n.oid"))
    FROM pg_namespace n
    WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
      AND \(isNoMember("pg_namespace", "n.oid")) AND $1::text IS NOT NULL
    """

  /// The columns of a relation, a line each.
  private static func columns(_ relation: String) -> String {
    """
    coalesce((SELECT string_agg(
      quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)
      || coalesce((SELECT ' collate ' || l.collname FROM pg_collation l, pg_type y
          WHERE l.oid = attcollation AND y.oid = atttypid AND attcollation <> y.typcollation), '')
      || CASE attidentity WHEN 'a' THEN ' always identity' WHEN 'd' THEN ' default identity' ELSE '' END
      || CASE attgenerated WHEN '' THEN '' ELSE ' generated ' || attgenerated::text END
      || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
      || CASE WHEN attnotnull THEN ' not null' ELSE '' END
      || coalesce(' ' || array_to_string(attoptions, ','), '')
      || coalesce((SELECT ' granted ' || string_agg(pg_get_userbyid(grantee) || ' ' || privilege_type, ', '
          ORDER BY grantee, privilege_type) FROM aclexplode(attacl)), '')
      || coalesce(' comment ' || col_description(attrelid, attnum), ''),
      E'\\n' ORDER BY attnum)
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attrelid = \(relation) AND attnum > 0 AND NOT attisdropped), '')
    """
  }

  private static let tables = """
    SELECT CASE relkind WHEN 'f' THEN 'foreign table' ELSE 'table' END,
      \(name("relnamespace", "relname")), c.oid::regclass::text,
      relpersistence::text || E'\\n' || \(columns("c.oid"))
      || coalesce(E'\\nwith ' || array_to_string(reloptions, ','), '')
      || coalesce(E'\\npartition by ' || pg_get_partkeydef(c.oid), '')
      || coalesce(E'\\n' || pg_get_expr(relpartbound, c.oid), '')
      || coalesce((SELECT E'\\ninherits ' || string_agg(inhparent::regclass::text, ', ' ORDER BY inhseqno)
          FROM pg_inherits WHERE inhrelid = c.oid), '')
      || CASE WHEN relrowsecurity THEN E'\\nrow security' ELSE '' END
      || CASE WHEN relforcerowsecurity THEN E'\\nforced' ELSE '' END
      || CASE relreplident WHEN 'd' THEN '' ELSE E'\\nreplica identity ' || relreplident::text END
      || \(grants("relacl", "r", "relowner")) || \(comment("pg_class", "c.oid"))
    FROM pg_class c WHERE relkind IN ('r', 'p', 'f') AND \(isOurs("pg_class", "c.oid", "relnamespace"))
    """

  /// Without those of NOT NULL, which are the columns'.
  private static let constraints = """
    SELECT 'constraint',
      \(name("connamespace", "coalesce(r.relname, y.typname) || '.' || conname")),
      c.conrelid::regclass::text,
      pg_get_constraintdef(c.oid) || \(comment("pg_constraint", "c.oid"))
    FROM pg_constraint c
      LEFT JOIN pg_class r ON r.oid = conrelid LEFT JOIN pg_type y ON y.oid = contypid
    WHERE contype NOT IN ('n', 't') AND \(isOurs("pg_constraint", "c.oid", "connamespace"))
      AND \(isNoMember("pg_class", "conrelid"))
    """

  private static let indexes = """
    SELECT 'index', \(name("c.relnamespace", "c.relname")), i.indrelid::regclass::text,
      pg_get_indexdef(c.oid) || CASE WHEN indisvalid THEN '' ELSE ' invalid' END
      || CASE WHEN indisclustered THEN ' clustered' ELSE '' END
      || CASE WHEN indisreplident THEN ' replica identity' ELSE '' END
      || \(comment("pg_class", "c.oid"))
    FROM pg_class c JOIN pg_index i ON indexrelid = c.oid
    WHERE c.relkind IN ('i', 'I') AND \(isOurs("pg_class", "i.indrelid", "c.relnamespace"))
    """

  private static let views = """
    SELECT CASE relkind WHEN 'm' THEN 'materialized view' ELSE 'view' END,
      \(name("relnamespace", "relname")), NULL,
      \(columns("c.oid")) || E'\\n' || pg_get_viewdef(c.oid)
      || coalesce(E'\\nwith ' || array_to_string(reloptions, ','), '')
      || CASE WHEN relispopulated THEN '' ELSE E'\\nempty' END
      || \(grants("relacl", "r", "relowner")) || \(comment("pg_class", "c.oid"))
    FROM pg_class c WHERE relkind IN ('v', 'm') AND \(isOurs("pg_class", "c.oid", "relnamespace"))
    """

  private static let signature =
    "proname || '(' || pg_get_function_identity_arguments(p.oid) || ')'"

  private static let functions = """
    SELECT CASE prokind WHEN 'p' THEN 'procedure' ELSE 'function' END,
      \(name("pronamespace", signature)), NULL,
      pg_get_functiondef(p.oid) || \(grants("proacl", "f", "proowner"))
      || \(comment("pg_proc", "p.oid"))
    FROM pg_proc p WHERE prokind <> 'a' AND \(isOurs("pg_proc", "p.oid", "pronamespace"))
    """

  private static let aggregates = """
    SELECT 'aggregate', \(name("pronamespace", signature)), NULL,
      format('%s %s %s %s %s %s', aggkind, aggtransfn, aggfinalfn, aggcombinefn,
        format_type(aggtranstype, NULL), agginitval)
      || \(grants("proacl", "f", "proowner")) || \(comment("pg_proc", "p.oid"))
    FROM pg_proc p JOIN pg_aggregate a ON aggfnoid = p.oid
    WHERE \(isOurs("pg_proc", "p.oid", "pronamespace"))
    """

  private static let triggers = """
    SELECT 'trigger', \(name("relnamespace", "relname || '.' || tgname")), tgrelid::regclass::text,
      pg_get_triggerdef(g.oid) || ' ' || tgenabled::text || \(comment("pg_trigger", "g.oid"))
    FROM pg_trigger g JOIN pg_class c ON c.oid = tgrelid
    WHERE NOT tgisinternal AND \(isOurs("pg_class", "c.oid", "relnamespace"))
    """

  private static let rules = """
    SELECT 'rule', \(name("relnamespace", "relname || '.' || rulename")), ev_class::regclass::text,
      pg_get_ruledef(w.oid) || ' ' || ev_enabled::text || \(comment("pg_rewrite", "w.oid"))
    FROM pg_rewrite w JOIN pg_class c ON c.oid = ev_class
    WHERE rulename <> '_RETURN' AND \(isOurs("pg_class", "c.oid", "relnamespace"))
    """

  private static let policies = """
    SELECT 'policy', \(name("relnamespace", "relname || '.' || polname")), polrelid::regclass::text,
      format('%s %s %s using %s check %s', polcmd, polpermissive,
        (SELECT string_agg(CASE role WHEN 0 THEN 'public' ELSE pg_get_userbyid(role)::text END, ','
          ORDER BY role) FROM unnest(polroles) AS role),
        pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
      || \(comment("pg_policy", "o.oid"))
    FROM pg_policy o JOIN pg_class c ON c.oid = polrelid
    WHERE \(isOurs("pg_class", "c.oid", "relnamespace"))
    """

  private static let sequences = """
    SELECT 'sequence', \(name("relnamespace", "relname")), NULL,
      format('%s from %s by %s between %s and %s cache %s cycle %s', format_type(seqtypid, NULL),
        seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle)
      || coalesce((SELECT E'\\nowned by ' || refobjid::regclass::text || '.' || attname
          FROM pg_depend JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
          WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype IN ('a', 'i')), '')
      || \(grants("relacl", "s", "relowner")) || \(comment("pg_class", "c.oid"))
    FROM pg_class c JOIN pg_sequence ON seqrelid = c.oid
    WHERE \(isOurs("pg_class", "c.oid", "relnamespace"))
    """

  /// Without the types of rows of tables, and arrays of others.
  private static let types = """
    SELECT 'type', \(name("typnamespace", "typname")), NULL,
      typtype::text || coalesce((SELECT ' enum ' || string_agg(quote_literal(enumlabel), ', '
          ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = y.oid), '')
      || CASE typtype WHEN 'c' THEN E'\\n' || \(columns("typrelid")) ELSE '' END
      || CASE typtype WHEN 'd' THEN ' ' || format_type(typbasetype, typtypmod)
          || CASE WHEN typnotnull THEN ' not null' ELSE '' END || coalesce(' default ' || typdefault, '')
        ELSE '' END
      || coalesce((SELECT ' range of ' || format_type(rngsubtype, NULL) FROM pg_range
          WHERE rngtypid = y.oid), '')
      || \(grants("typacl", "T", "typowner")) || \(comment("pg_type", "y.oid"))
    FROM pg_type y
    WHERE \(isOurs("pg_type", "y.oid", "typnamespace")) AND typelem = 0
      AND (typrelid = 0 OR EXISTS (SELECT FROM pg_class WHERE oid = typrelid AND relkind = 'c'))
      AND typtype <> 'm'
    """

  private static let extensions = """
    SELECT 'extension', extname, NULL, extversion || ' in ' || extnamespace::regnamespace
    FROM pg_extension WHERE extname <> 'plpgsql' AND $1::text IS NOT NULL
    """

  private static let eventTriggers = """
    SELECT 'event trigger', evtname, NULL,
      format('%s %s %s %s', evtevent, evtfoid::regprocedure, evtenabled, evttags)
    FROM pg_event_trigger WHERE $1::text IS NOT NULL
    """

  private static let statistics = """
    SELECT 'statistics', \(name("stxnamespace", "stxname")), stxrelid::regclass::text,
      pg_get_statisticsobjdef(s.oid) || \(comment("pg_statistic_ext", "s.oid"))
    FROM pg_statistic_ext s WHERE \(isOurs("pg_statistic_ext", "s.oid", "stxnamespace"))
    """

  private static let publications = """
    SELECT 'publication', pubname, NULL,
      format('%s %s %s %s %s ', puballtables, pubinsert, pubupdate, pubdelete, pubtruncate)
      || coalesce((SELECT string_agg(prrelid::regclass::text, ', ' ORDER BY prrelid::regclass::text)
          FROM pg_publication_rel WHERE prpubid = p.oid), '')
    FROM pg_publication p WHERE $1::text IS NOT NULL
    """

  /// What is rare: that it is there, and its name.
  private static let others = """
    SELECT told.type, told.identity, NULL, 'there'
    FROM (SELECT 'pg_operator'::regclass AS class, oid FROM pg_operator
      UNION ALL SELECT 'pg_cast'::regclass, oid FROM pg_cast
      UNION ALL SELECT 'pg_collation'::regclass, oid FROM pg_collation
      UNION ALL SELECT 'pg_conversion'::regclass, oid FROM pg_conversion
      UNION ALL SELECT 'pg_opclass'::regclass, oid FROM pg_opclass
      UNION ALL SELECT 'pg_opfamily'::regclass, oid FROM pg_opfamily
      UNION ALL SELECT 'pg_ts_config'::regclass, oid FROM pg_ts_config
      UNION ALL SELECT 'pg_ts_dict'::regclass, oid FROM pg_ts_dict
      UNION ALL SELECT 'pg_ts_parser'::regclass, oid FROM pg_ts_parser
      UNION ALL SELECT 'pg_ts_template'::regclass, oid FROM pg_ts_template
      UNION ALL SELECT 'pg_foreign_server'::regclass, oid FROM pg_foreign_server
      UNION ALL SELECT 'pg_foreign_data_wrapper'::regclass, oid FROM pg_foreign_data_wrapper
      UNION ALL SELECT 'pg_default_acl'::regclass, oid FROM pg_default_acl
      UNION ALL SELECT 'pg_language'::regclass, oid FROM pg_language
      UNION ALL SELECT 'pg_transform'::regclass, oid FROM pg_transform) AS object,
      LATERAL pg_identify_object(object.class, object.oid, 0) AS told
    WHERE object.oid >= 16384 AND $1::text IS NOT NULL AND NOT EXISTS (SELECT FROM pg_depend e
      WHERE e.classid = object.class AND e.objid = object.oid AND e.deptype = 'e')
    """

  // MARK: Data

  /// What holds rows: its name as `table`s are called above, and as SQL has it.
  static let stores = """
    SELECT \(name("relnamespace", "relname")), c.oid::regclass::text
    FROM pg_class c WHERE relkind IN ('r', 'm') AND relispopulated
      AND \(isOurs("pg_class", "c.oid", "relnamespace"))
    ORDER BY 2
    """

  /// The rows of a table, and a digest of them in any order: two sums of hashes of 64 bits.
  static func digest(of table: String) -> String {
    func sum(_ seed: Int) -> String {
      "coalesce(sum(hashtextextended(reunion_row::text COLLATE \"C\", \(seed))::numeric), 0)"
    }
    return "SELECT count(*), \(sum(0)) || ' ' || \(sum(1)) FROM ONLY \(table) AS reunion_row"
  }
}

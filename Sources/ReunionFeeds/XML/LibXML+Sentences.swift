import CXML

extension LibXML {
  /// What is malformed, as a sentence of ours: libxml2's own words change with its version.
  static func sentence(_ error: xmlError) -> String {
    let (one, two) = (name(error.str1), name(error.str2))
    switch xmlParserErrors(UInt32(bitPattern: error.code)) {
    case XML_ERR_TAG_NAME_MISMATCH:
      return "The tag <\(one)> is open here, and </\(two)> does not close it."
    case XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY:
      return "The entity &\(one); is not one of XML: it would be written as its character."
    case XML_ERR_ENTITYREF_NO_NAME, XML_ERR_ENTITYREF_SEMICOL_MISSING:
      return "An & stands here that begins no entity: it would be written as &amp;."
    case XML_ERR_INVALID_CHARREF, XML_ERR_INVALID_HEX_CHARREF, XML_ERR_INVALID_DEC_CHARREF:
      return "The number after &# is none of a character that XML can hold."
    case XML_ERR_ATTRIBUTE_WITHOUT_VALUE:
      return "The attribute \(one) has no value."
    case XML_ERR_ATTRIBUTE_NOT_STARTED, XML_ERR_ATTRIBUTE_NOT_FINISHED:
      return "The value of an attribute is not between quotes."
    case XML_ERR_LT_IN_ATTRIBUTE:
      return "The value of an attribute has a < in it: a quote may be missing before."
    case XML_ERR_ATTRIBUTE_REDEFINED:
      return "The attribute \(one) stands twice in one tag."
    case XML_ERR_SPACE_REQUIRED:
      return "A space is missing here, such as one between two attributes."
    case XML_ERR_NAME_REQUIRED:
      return
        "A name is missing here: a < or an & that begins nothing would be written as &lt; or &amp;."
    case XML_ERR_GT_REQUIRED, XML_ERR_LTSLASH_REQUIRED, XML_ERR_EQUAL_REQUIRED:
      return "A tag is not closed as it should be here."
    case XML_ERR_INVALID_CHAR:
      return "A character stands here that XML cannot hold, or a byte that its encoding has not."
    case XML_ERR_INVALID_ENCODING:
      return
        "The bytes here are not of the document's encoding, which is UTF-8 where none is named."
    case XML_ERR_UNSUPPORTED_ENCODING, XML_ERR_UNKNOWN_ENCODING, XML_ERR_ENCODING_NAME,
      XML_ERR_MISSING_ENCODING:
      return "The document names an encoding that is not known here."
    case XML_ERR_DOCUMENT_END, XML_ERR_EXTRA_CONTENT:
      return "Something follows after the last tag was closed."
    case XML_ERR_DOCUMENT_EMPTY, XML_ERR_DOCUMENT_START:
      return "The document does not begin as XML does, with a <."
    case XML_ERR_RESERVED_XML_NAME:
      return "An <?xml …?> stands here: it may only be the first thing in a document."
    case XML_ERR_COMMENT_NOT_FINISHED, XML_ERR_HYPHEN_IN_COMMENT:
      return "A comment has -- in it, or does not end."
    case XML_ERR_MISPLACED_CDATA_END:
      return "A ]]> stands here that ends nothing: it would be written as ]]&gt;."
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

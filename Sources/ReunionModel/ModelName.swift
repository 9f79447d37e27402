/// What generated code calls a model.
enum ModelName {
  /// The name with a small letter, such as `album`.
  static func property(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

  /// What a JavaScript module exports nothing by, and what stands for something else behind a dot in Swift.
  static let reserved: Set<String> = [
    "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger",
    "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally",
    "for", "function", "if", "implements", "import", "in", "init", "instanceof", "interface", "let",
    "new", "null", "package", "private", "protected", "public", "return", "self", "static", "super",
    "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "yield",
  ]
}

// Every verb reads words and prints.
@_exported public import ReunionCommandLine

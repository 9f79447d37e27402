// The module that apps import: the store and its values come with it, and signals.
@_exported public import ReunionFlow
@_exported public import ReunionStore

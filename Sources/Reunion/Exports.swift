// The module that apps import: the store, its values, signals and sync come with it.
@_exported public import ReunionCore
@_exported public import ReunionFlow
@_exported public import ReunionStore
@_exported public import ReunionSync

// The module that apps import: the store, its values, signals and sync come with it. Of the core it hands on
// what an app names.
@_exported public import struct ReunionCore.BlobHash
@_exported public import struct ReunionCore.BlobReference
@_exported public import protocol ReunionCore.Identifier
@_exported public import struct ReunionCore.RecordID
@_exported public import struct ReunionCore.SpaceID
@_exported public import struct ReunionCore.Value
@_exported public import struct ReunionCore.ValueKind
@_exported public import ReunionFlow
@_exported public import ReunionStore

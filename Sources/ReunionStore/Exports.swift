// What a user of the store names of the layers below. The rest of the disk is for the store alone, and for a test
// that brings one of its own.
@_exported public import struct ReunionCore.BlobHash
@_exported public import struct ReunionCore.BlobReference
@_exported public import protocol ReunionCore.Identifier
@_exported public import struct ReunionCore.RecordID
@_exported public import struct ReunionCore.SpaceID
@_exported public import struct ReunionCore.Value
@_exported public import struct ReunionCore.ValueKind
@_exported public import struct ReunionDisk.StoreError
@_exported public import struct ReunionDisk.StoreQuota

// What a user of the store names of the layer below. The rest of it is for the store alone, and for a test
// that brings a disk of its own.
@_exported public import struct ReunionDisk.StoreError
@_exported public import struct ReunionDisk.StoreQuota

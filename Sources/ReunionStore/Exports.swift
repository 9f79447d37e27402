// What a user of the store names of the layer below. The rest of it is for the store alone.
@_exported public import protocol ReunionDisk.Disk
@_exported public import enum ReunionDisk.DiskAccess
@_exported public import protocol ReunionDisk.DiskFile
@_exported public import enum ReunionDisk.DiskStatus
@_exported public import struct ReunionDisk.StoreError
@_exported public import struct ReunionDisk.StoreQuota
@_exported public import class ReunionDisk.SystemDisk

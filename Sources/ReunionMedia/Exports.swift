// The geometry of pictures, which this module takes and gives; the core has it, since browsers compute it too.
@_exported public import enum ReunionCore.MediaType
@_exported public import struct ReunionCore.Orientation
@_exported public import struct ReunionCore.PictureCrop
@_exported public import struct ReunionCore.PictureEdit
@_exported public import struct ReunionCore.PicturePlan
@_exported public import struct ReunionCore.PictureRect
@_exported public import struct ReunionCore.PictureSize

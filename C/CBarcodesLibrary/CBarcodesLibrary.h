/* The C++ headers of zxing are included by CBarcodes alone. */

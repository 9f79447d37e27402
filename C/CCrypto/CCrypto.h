#ifndef REUNION_CCRYPTO_H
#define REUNION_CCRYPTO_H
#include <openssl/evp.h>
#endif

/* SHA-256 (FIPS 180-4) of files, so that users can check digests with sha256sum. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { WI_SHA256_TEXT = 65 };

/* The digest of `size` bytes as 64 lower-case hexadecimal digits and a zero. */
void wi_sha256(const void *data, size_t size, char text[WI_SHA256_TEXT]);
/* The same of a file's bytes, as they lie on disk. Returns 0, or an errno (text is empty then). */
int wi_sha256_file(const char *path, char text[WI_SHA256_TEXT]);

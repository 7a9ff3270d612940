/* Any bytes as a file of bzip2: no crash, and an end. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], out[4096];
    const int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, "BZh9", 4) != 4 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    weir_diag *diag = weir_diag_new();
    wi_unpack *u = NULL;
    weir_status st = wi_unpack_open(diag, path, false, &u);
    unsigned got = 1;
    for (size_t n = 0; st == WEIR_OK && got > 0 && n < 1 << 24; n += got)
        st = wi_unpack_read(u, out, sizeof out, &got);
    if (st != WEIR_OK && u && strlen(wi_unpack_why(u)) == 0)
        abort();
    wi_unpack_close(u);
    weir_diag_free(diag);
    close(fd);
    return 0;
}

/* Files of sections from anybody's bytes: refused or read, never past their end. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file/saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"engine", "states", "a", ""};
    char path[64];
    wi_saved *from;
    const int fd = memfd_create("saved", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (wi_saved_open(NULL, path, &from) == WEIR_OK) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            wi_saved_part part;
            unsigned char some[16];
            if (!wi_saved_find(from, names[i], &part))
                continue;
            while (part.left > 0)
                wi_saved_read(&part, some, sizeof some);
            if (wi_saved_view(&part, 1))
                abort();
        }
    }
    wi_saved_close(from);
    close(fd);
    return 0;
}

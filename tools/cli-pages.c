/* Writes the manual page from the tables of commands and options: `cli-pages FILE`. The build calls it. */
#include <stdio.h>

#include "cli/pages.h"

int main(int argc, char **argv)
{
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (out)
        cli_write_man(out);
    const int failed = !out || ferror(out);
    if ((out && fclose(out) != 0) || failed) {
        fprintf(stderr, "cli-pages: %s\n", argc == 2 ? argv[1] : "usage: cli-pages FILE");
        return 1;
    }
    return 0;
}

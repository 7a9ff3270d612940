/* Writes the manual page and the shells' completions from the tables of commands and options, into a folder:
 * `cli-pages FOLDER`. The build calls it; what it writes is installed. */
#include <stdio.h>

#include "cli/pages/pages.h"

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(FILE *out);
    } pages[] = {{"weir.1", cli_write_man},
                 {"weir.bash", cli_write_bash},
                 {"_weir", cli_write_zsh},
                 {"weir.fish", cli_write_fish}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argc == 2 ? argv[1] : "", pages[i].name);
        FILE *out = argc == 2 ? fopen(path, "w") : NULL;
        if (out)
            pages[i].write(out);
        const int failed = !out || ferror(out);
        if ((out && fclose(out) != 0) || failed) {
            fprintf(stderr, "cli-pages: %s\n", argc == 2 ? path : "usage: cli-pages FOLDER");
            return 1;
        }
    }
    return 0;
}

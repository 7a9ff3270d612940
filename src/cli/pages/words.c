/* Lists of names that more than one shell's completion holds. */
#include "cli/pages/pages.h"

#include <string.h>

#include "weir/topology.h"

cli_operand cli_operand_of(const cli_command *command)
{
    const bool model = strstr(command->operands, "MODEL") != NULL;
    if (strstr(command->operands, "COMMAND"))
        return CLI_COMMAND;
    if (strstr(command->operands, "FILE"))
        return model ? CLI_MODEL_OR_FILE : CLI_FILE;
    return model ? CLI_MODEL : command->operands[0] ? CLI_FILE : CLI_NO_OPERAND;
}

size_t cli_group_length(const cli_command *command)
{
    const char *blank = strchr(command->name, ' ');
    return blank ? (size_t)(blank - command->name) : 0;
}

bool cli_first_of_group(size_t place)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    const size_t length = cli_group_length(&commands[place]);
    for (size_t i = 0; length && i < place; i++)
        if (strncmp(commands[i].name, commands[place].name, length + 1) == 0)
            return false;
    return length > 0;
}

void cli_write_words(FILE *out, const char *group)
{
    size_t n, written = 0;
    const cli_command *commands = cli_commands(&n);
    const size_t length = group ? strlen(group) : 0;
    for (size_t i = 0; i < n; i++) {
        const size_t own = cli_group_length(&commands[i]);
        const char *name = commands[i].name;
        if (group && own == length && strncmp(name, group, length) == 0)
            fprintf(out, "%s%s", written++ ? " " : "", name + length + 1);
        else if (!group && own && cli_first_of_group(i))
            fprintf(out, "%s%.*s", written++ ? " " : "", (int)own, name);
        else if (!group && !own)
            fprintf(out, "%s%s", written++ ? " " : "", name);
    }
}

void cli_write_models(FILE *out)
{
    size_t n;
    const weir_generator *const *all = weir_generators(&n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%s", i ? " " : "", all[i]->name);
}

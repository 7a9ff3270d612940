# Fish completion of weir: what `weir complete` prints for the words up to the cursor.
# Installed as share/fish/vendor_completions.d/weir.fish; or: source weir.fish
function __weir_complete
    set -l line (commandline -opc)
    set -l cur (commandline -ct)
    test (count $cur) -gt 0; or set cur ''
    for found in ($line[1] complete $line[2..-1] $cur 2>/dev/null)
        switch $found
            case '<files>'
                __fish_complete_path $cur
            case '<folders>'
                __fish_complete_directories $cur
            case '*'
                echo $found
        end
    end
end
complete -c weir -f -a '(__weir_complete)'

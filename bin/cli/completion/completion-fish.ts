// The completion script of fish: the same way through the words as the other shells', in its own language.
import type { Offer, Place } from './word-tree.js'

export function renderFish(name: string, places: readonly Place[]): string {
  return `# Completion of ${name} for fish: ${name} completion fish | source

# What a flag takes in a place, a word a line; fails for one that takes nothing.
function __manager_cli_value
    switch "$argv[1] $argv[2]"
${valueCases(places)}
    case '*'
        return 1
    end
end

# What can stand in a place, with what it means; fails where there is no such place.
function __manager_cli_place
    switch "$argv[1]"
${places.map(placeCase).join('\n')}
    case '*'
        return 1
    end
end

# The argument of a place by its number: a word a line, or @kind.
function __manager_cli_argument
    switch "$argv[1] $argv[2]"
${places.flatMap(argumentCases).join('\n')}
    end
end

function __manager_cli_offer
    set -l at ''
    set -l count 0
    set -l flag ''
    set -l about
    for word in (commandline -opc)[2..-1]
        if test -n "$flag"
            switch $flag
            case --cluster
                set -a about MANAGER_CLUSTER_NAME=$word
            case --host
                set -a about MANAGER_HOST=$word
            case --port
                set -a about MANAGER_PORT=$word
            case --user
                set -a about MANAGER_USER=$word
            end
            set flag ''
            continue
        end
        if string match -q -- '-*' $word
            if __manager_cli_value "$at" $word >/dev/null
                set flag $word
            end
            continue
        end
        set -l deeper (string trim "$at $word")
        if test $count = 0; and __manager_cli_place "$deeper" >/dev/null
            set at $deeper
        else
            set count (math $count + 1)
        end
    end
    set -l wanted '*'
    test $count = 0; or set wanted '-*'
    set -l offer
    if test -n "$flag"
        set offer (__manager_cli_value "$at" $flag)
    else
        set offer (__manager_cli_argument "$at" $count) (__manager_cli_place "$at" | string match -- $wanted)
        test -n "$at"; and set -a offer (__manager_cli_place '' | string match -- '-*')
    end
    for word in $offer
        switch $word
        case @files
            __fish_complete_path (commandline -ct)
        case '@value'
            env $about (commandline -opc)[1] names value -- (commandline -opc)[-1] 2>/dev/null
        case '@*'
            env $about (commandline -opc)[1] names (string sub -s 2 $word) 2>/dev/null
        case '*'
            printf '%s\\n' $word
        end
    end
end

complete -c ${name} -f -a '(__manager_cli_offer)'`
}

const valueCases = (places: readonly Place[]): string =>
  places
    .flatMap(({ path, flags }) =>
      flags.flatMap(({ spellings, value }) =>
        value
          ? spellings.flatMap((flag) => [
              `    case ${quote(`${path === '' ? '*' : path} ${flag}`)}`,
              lines(wordsOf(value)),
            ])
          : [],
      ),
    )
    .join('\n')

const placeCase = ({ path, verbs, flags }: Place): string =>
  [
    `    case ${quote(path)}`,
    lines([
      ...verbs.map(({ name, text }) => `${name}\t${short(text)}`),
      ...flags.flatMap(({ spellings, text }) => spellings.map((spelling) => `${spelling}\t${short(text)}`)),
    ]),
  ].join('\n')

const argumentCases = ({ path, arguments: offers }: Place): readonly string[] =>
  offers.flatMap((offer, index) => {
    const words = wordsOf(offer)
    return words.length === 0 ? [] : [`    case ${quote(`${path} ${index}`)}`, lines(words)]
  })

function wordsOf(offer: Offer): readonly string[] {
  if (offer.type === 'words') return offer.words
  if (offer.type === 'names') return [`@${offer.kind}`]
  return offer.type === 'files' ? ['@files'] : []
}

const lines = (words: readonly string[]): string =>
  words.length === 0 ? '        true' : `        printf '%s\\n' ${words.map(quote).join(' ')}`

const short = (text: string): string => text.split(/[;:(\n]/, 1)[0]?.trim() ?? ''

/** In single quotes fish reads only backslashes and quotes otherwise; a tab is literal. */
const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

// Prints share/doc/health.md: what each word about the health of a cluster means, and where it is seen.
import { stateMeanings } from '../../lib/decide/cluster-state.js'
import { words } from '../../lib/decide/condition.js'

export const printHealth = (): string =>
  [
    '# Words about health',
    '',
    'Printed from `lib/decide/condition.ts`; `npm run docs` regenerates it. Each word has one definition, which all of these read.',
    '',
    '| Word | Means | Where it is seen |',
    '|---|---|---|',
    ...words.map(({ word, means, seen }) => `| ${word} | ${means} | ${seen.join('; ')} |`),
    '',
    'A replica whose source refuses its login, or that has not been connected to it for longer than `replication-source-timeout`',
    'while the source answers the manager, is in the state `SlaveErr` (`RelayErr`), and ERR00161 is open: it is no valid replica.',
    'So is one that is missing transactions of its own (ERR00124), or that passed over transactions of the primary (ERR00128), although',
    'its threads run.',
    '',
    '## The state of a cluster in one word',
    '',
    'What views of the whole fleet show (`state` in `GET /api/fleet`): the first that holds. It is judged in',
    '`lib/decide/cluster-state.ts`, and kept over restarts of the manager with the time since when it is so (`at`).',
    '',
    '| State | Means |',
    '|---|---|',
    ...stateMeanings.map(([state, means]) => `| ${state} | ${means} |`),
    '',
  ].join('\n')

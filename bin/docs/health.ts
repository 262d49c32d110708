// Prints share/doc/health.md: what each word about the health of a cluster means, and where it is seen.
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
    '',
  ].join('\n')

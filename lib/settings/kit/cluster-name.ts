// What a cluster may be called: the name is a section, a directory and a part of addresses.
import { deviceNames, inheritedNames } from '../../access/reserved-names.js'

/** Words that take the place of a cluster name in addresses of the API. */
const reserved = ['actions', 'settings', 'peers', 'for-sale']

/** Files of the working directory, where the folder of a cluster is too. */
const files = ['toml', 'log', 'json', 'jsonl', 'old', 'new', 'damaged', 'removed']

export const clusterNameRule =
  'letters, digits, dot, dash and underscore, a letter or digit first, at most 64; no name of a device or of a file of the manager'

/** In upper and lower case: a pattern in a document of the API has no flags. */
const anyCase = (words: readonly string[]): string =>
  words.join('|').replace(/\\d|[a-z]/g, (part) => (part === '\\d' ? part : `[${part}${part.toUpperCase()}]`))

/** Of ECMAScript, with the flag `u` or without. */
export const clusterNamePattern = [
  `^(?!(${[...reserved, ...inheritedNames, anyCase(['known_hosts'])].join('|')})$)`,
  `(?!(${anyCase(deviceNames)})(\\.|$))`,
  `(?!.*\\.(${anyCase(files)})?$)`,
  '[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
].join('')

const allowed = new RegExp(clusterNamePattern, 'u')

export const isClusterName = (name: string): boolean => allowed.test(name)

// What a cluster may be called: the name is a section, a directory and a part of addresses.

/** Words that take the place of a cluster name in addresses of the API. */
const reserved: ReadonlySet<string> = new Set(['actions', 'settings', 'peers', 'for-sale'])

export const clusterNameRule = 'letters, digits, dot, dash and underscore, a letter or digit first, at most 64'

export const isClusterName = (name: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) && !reserved.has(name)

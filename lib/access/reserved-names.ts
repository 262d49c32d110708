// Names that nothing may have which becomes the key of an object or a part of a path: clusters, hosts, users, folders.

/** What objects and functions of JavaScript have: a name of these is never looked up by mistake. */
export const inheritedNames: readonly string[] = [...Object.getOwnPropertyNames(Object.prototype), 'prototype']

/** Devices of some file systems, whatever follows a dot: nothing can be stored under them. Patterns, in any case. */
export const deviceNames: readonly string[] = ['con', 'prn', 'aux', 'nul', 'com\\d', 'lpt\\d']

const device = new RegExp(`^(${deviceNames.join('|')})\\.?$`, 'i')

/** In any case: names of hosts have none. */
const inherited = new Set(inheritedNames.map((name) => name.toLowerCase()))

/** With a domain behind it a device's name is that of a host. */
export const isReservedName = (name: string): boolean => inherited.has(name.toLowerCase()) || device.test(name)

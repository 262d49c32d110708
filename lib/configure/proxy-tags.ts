// The tags of proxies: how a proxy routes and what it runs on.
import type { TagRule, TagSet } from './tags.js'

const tag = (name: string, doc: string, excludes: readonly string[] = []): TagRule => ({
  ...{ tag: name, doc, excludes, includes: [] },
  ...{ category: 'proxy', always: false },
})

const rules: readonly TagRule[] = [
  tag('masterslave', 'One database takes writes, the others follow it.', ['multimaster', 'wsrep']),
  tag('multimaster', 'Two databases follow each other, and one of them takes writes.', ['wsrep']),
  tag('wsrep', 'Every database of a Galera cluster takes writes.'),
  tag('readwritesplit', 'Reads and writes of one connection go to different databases.', ['noreadwritesplit']),
  tag('noreadwritesplit', 'A connection stays with the database that its port stands for.'),
  tag('readonmaster', 'Reads go to the database that takes writes, too.'),
  tag('sphinx', 'A Sphinx daemon for full-text search runs beside the proxy.'),
  tag('ssl', 'Connections of clients and to databases are encrypted.'),
  tag('nonetworkcompress', 'What is sent is not compressed.'),
  tag('docker', 'The proxy runs in a container.', ['pkg']),
  tag('pkg', 'The proxy runs from a package.'),
  tag('linux', 'The proxy runs on Linux.'),
]

/** Every tag that `prov-proxy-tags` may name. */
export const proxyTags: TagSet = { rules }

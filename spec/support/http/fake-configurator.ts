// A configurator without clusters behind it: every answer has the shape of a real one, or is the failure that a spec sets.
import type {
  ConfigurationView,
  ConfiguratorFace,
  DiscoveryView,
  DriftView,
  DynamicView,
  MemoryView,
  PreviewView,
} from '../../../actors/protocol/manager/configurator.js'
import type { Result } from '../../../lib/base/result.js'

/** Answers a call by its name with this value, or with a failure. */
export type Answerer = <T>(name: string, given: unknown, value: T) => Result<T>

const tagsAfter = { tags: ['row', 'ssd'], added: ['ssd'], dropped: [] }

const discovery: DiscoveryView = {
  applied: true,
  tags: tagsAfter,
  proposals: [{ tag: 'ssd', sign: 'SSD=ON', evidence: [{ server: 'db1', text: 'ssd = ON' }] }],
  settings: [
    { name: 'prov-db-cores', before: 1, after: 4, evidence: 'thread_pool_size = 4', kept: 'the file sets it' },
  ],
  remarks: ['A remark.'],
}

const drift: DriftView = {
  server: 'db1',
  watched: true,
  differences: [
    { name: 'max_connections', expected: '1000', running: '1500', origin: 'statement', state: 'undecided' },
  ],
}

const dynamic: DynamicView = {
  applied: true,
  servers: [{ server: 'db1', statements: [{ sql: 'SET GLOBAL a = 1', refused: 'no' }], restart: [] }],
}

const memory: MemoryView = {
  ...{ usableMb: 192, workingConnections: 10, sumKb: 190_000 },
  figures: [{ name: 'innodbBufferPool', kb: 131_072, why: 'innodb 60 % of 192 MB' }],
}

const configuration: ConfigurationView = {
  tags: [{ name: 'ssd', category: 'disk', doc: 'Disks without seeks.', chosen: true, includes: [], excludes: ['hdd'] }],
  memory,
}

const preview: PreviewView = {
  tags: tagsAfter,
  memory: { before: memory, after: memory },
  servers: [
    {
      ...{ server: 'db1:3306', restart: false, reprov: false, statements: ['SET GLOBAL innodb_flush_neighbors = 0'] },
      differences: [{ name: 'innodb_flush_neighbors', before: '1', after: '0' }],
      files: [{ path: 'etc/mysql/conf.d/ssd.cnf', before: '', after: '[mysqld]\ninnodb_flush_neighbors = 0\n' }],
    },
  ],
}

const plan = {
  ...{ id: 1, plan: 'x1.small', dbmemory: 16384, dbcores: 2, dbdatasize: 100, dbsystemsize: 2 },
  ...{ dbiops: 1000, dbcpufreq: 2.4, prxcores: 1, prxdatasize: 10 },
}

export const fakeConfigurator = (answer: Answerer): ConfiguratorFace => ({
  tags: () => [{ id: 1, name: 'ssd', category: 'disk' }],
  addTag: async (request) => answer('addTag', request, tagsAfter),
  configuration: (cluster) => answer('configuration', cluster, configuration),
  preview: async (request) => answer('preview', request, preview),
  discover: async (request) => answer('discover', request, discovery),
  applyDynamic: async (request) => answer('applyDynamic', request, dynamic),
  drift: async (question) => answer('drift', question, drift),
  decideDrift: async (request) => answer('decideDrift', request, drift),
  preservedVariables: async (cluster) => answer('preservedVariables', cluster, '[mysqld]\n'),
  dropTag: async (request) => answer('dropTag', request, tagsAfter),
  plans: {
    list: () => [plan],
    reload: async (user) => answer('reloadPlans', user, [plan]),
    sizes: (name) => answer('planSizes', name, {}),
  },
})

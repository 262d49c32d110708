// Servers of a cluster with an intermediate replica, as the wire shows them: for documents.

const server = (number: number, source?: number) => ({
  ...{ id: `db${number}`, name: `db${number}`, host: `10.0.0.1${number}`, port: '3306', failCount: 0 },
  ...({ state: source === undefined ? 'Master' : 'Slave', readOnly: source === undefined ? 'OFF' : 'ON' } as const),
  ...{ isMaintenance: false, prefered: number === 1, ignored: false, haveBinlog: true },
  ...{ semiSyncMasterStatus: source === undefined, semiSyncSlaveStatus: source !== undefined },
  replicationHealth: source === undefined ? 'Master OK' : 'Running OK',
  currentGtid: [{ domainId: 0, serverId: 1, seqNo: 4711 }],
  dbVersion: { flavor: 'MariaDB', major: 10, minor: 11, release: 6 },
  ...(source === undefined
    ? {}
    : {
        replications: [
          {
            masterHost: { String: `10.0.0.1${source}`, Valid: true },
            masterPort: { String: '3306', Valid: true },
            secondsBehindMaster: { Int64: 0, Valid: true },
          },
        ],
      }),
})

/** db1 is followed by db2 and db4, db2 by db3. */
export const exampleTiers = [server(1), server(2, 1), server(3, 2), server(4, 1)]

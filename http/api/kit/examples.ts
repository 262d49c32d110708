// Examples of the larger objects, for the rows that answer with them; whole, so that their schemas take them.
import { clusterSchema } from '../schemas/cluster.js'
import { operationSchema } from '../schemas/operation.js'
import { serverSchema } from '../schemas/server.js'
import { proxySchema } from '../schemas/shapes.js'
import { whole } from '../schemas/whole.js'

const server = {
  ...{ dbVersion: { flavor: 'MariaDB', major: 11, minor: 8, release: 3, suffix: 'MariaDB-log' } },
  ...{ failCount: 0, prefered: false, ignored: false, isMaintenance: false },
  ...{ currentGtid: [{ domainId: 0, serverId: 1, seqNo: 4711 }], slaveGtid: [], replicationTags: 'GTID_SLAVE_POS ROW' },
  ...{ semiSyncMasterStatus: false, semiSyncSlaveStatus: false, replications: [] },
}

export const exampleMaster = whole(serverSchema, {
  ...{ id: 'db1234567890', name: 'db1', host: 'db1', port: '3306', url: 'db1:3306' },
  ...{ state: 'Master', prevState: 'Master', isMaster: true, isVirtualMaster: false, isSlave: false, readOnly: 'OFF' },
  ...server,
  ...{ replicationHealth: 'Master OK', semiSyncMasterStatus: true },
})

export const exampleSlave = whole(serverSchema, {
  ...{ id: 'db9876543210', name: 'db2', host: 'db2', port: '3306', url: 'db2:3306' },
  ...{ state: 'Slave', prevState: 'Slave', isMaster: false, isVirtualMaster: false, isSlave: true, readOnly: 'ON' },
  ...server,
  ...{ replicationHealth: 'Running OK', semiSyncSlaveStatus: true },
})

export const exampleProxy = whole(proxySchema, {
  ...{ id: 'px1', name: 'proxy1', type: 'haproxy', host: 'lb1', port: '1999', state: 'ProxyRunning' },
  backendsWrite: [{ host: 'db1', port: '3306', status: 'UP', prxConnections: '12' }],
  backendsRead: [{ host: 'db2', port: '3306', status: 'UP', prxConnections: '34', weight: 100 }],
  wantedWrite: [{ host: 'db1', port: '3306', state: 'ready' }],
  wantedRead: [{ host: 'db2', port: '3306', state: 'ready' }],
})

export const exampleLog = {
  buffer: [{ group: 'demo', level: 'INFO', timestamp: '2026/11/21 07:40:12', text: 'Monitoring begins' }],
  ...{ len: 1, line: 1 },
}

export const exampleCluster = whole(clusterSchema, {
  ...{ name: 'demo', topology: 'master-slave', config: { failoverMode: 'automatic', failoverLimit: 5 } },
  ...{ dbServers: ['db1234567890', 'db9876543210'], proxyServers: ['px1'] },
  ...{
    failoverCounter: 0,
    failoverLastTime: 0,
    isDown: false,
    isFailable: true,
    isHealthy: true,
    healthFaults: [],
    isProvision: false,
  },
  ...{ activePassiveStatus: 'A', monitorSpin: '17 ' },
  ...{ uptime: '100.00000', uptimeFailable: '99.98214', uptimeSemisync: '99.97102', log: exampleLog },
})

export const exampleCrash = {
  ...{ URL: 'db1:3306', ElectedMasterURL: 'db2:3306', UnixTimestamp: 1795246812, Switchover: false },
  ...{ FailoverMasterLogFile: 'binlog.000007', FailoverMasterLogPos: '4711', failoverIOGtidString: '0-1-4711' },
  FailoverIOGtid: [{ domainId: 0, serverId: 1, seqNo: 4711 }],
  ...{ NewMasterLogFile: 'binlog.000003', NewMasterLogPos: '345', FailoverSemiSyncSlaveStatus: true },
}

export const exampleOperation = whole(operationSchema, {
  ...{ id: 'switchover-20261121T074012345-17', kind: 'switchover', owner: 'admin', reason: 'asked by admin' },
  ...{
    startedAt: 1795246812345,
    deadlineAt: 1795246842345,
    phase: 'succeeded',
    result: 'succeeded',
    losses: [],
    steps: [{ command: { type: 'make-writable', server: 'db9876543210' }, state: 'done' }],
  },
  ...{ oldPrimary: 'db1234567890', newPrimary: 'db9876543210' },
})

// Names of tests of an existing system that are not offered: they answer with the reason, never with a result.

const outage =
  'it needs servers that are killed and started again at moments of the test; a manager that asks for a stop expects it, so nothing would be proven'
const unchecked = 'a replica that does not replicate, or is held up, is never chosen here, whatever the settings say'

/** By name: one line, why. */
export const absentTrials: ReadonlyMap<string, string> = new Map<string, string>([
  [
    'testSwitchoverAllSlavesDelayMultimasterNoRplChecksNoSemiSync',
    'it needs a multi-primary pair; tests run on one primary with replicas',
  ],
  [
    'testSwitchoverNoReadOnlyNoRplCheck',
    'no server is opened by a switchover here: an old primary is closed whatever failover-readonly-state says',
  ],
  [
    'testSwitchoverBackPreferedMasterNoRplCheckSemiSync',
    'failover-switch-to-prefered acts at most every five minutes, longer than a step of a test may last',
  ],
  ['testSwitchoverAllSlavesStopNoSemiSyncNoRplCheck', unchecked],
  ['testSwitchoverAllSlavesDelayNoRplChecksNoSemiSync', unchecked],
  ...[
    'testFailoverNoRplChecksNoSemiSync',
    'testFailoverNoRplChecksNoSemiSyncMasterHeartbeat',
    'testFailoverAllSlavesDelayNoRplChecksNoSemiSync',
    'testFailoverAllSlavesDelayRplChecksNoSemiSync',
    'testFailoverNumberFailureLimitReach',
    'testFailoverTimeNotReach',
    'testFailoverManual',
    'testFailoverAssyncAutoRejoinRelay',
    'testFailoverAssyncAutoRejoinNoGtid',
    'testFailoverAssyncAutoRejoinFlashback',
    'testFailoverAssyncAutoRejoinNowrites',
    'testFailoverSemisyncAutoRejoinFlashback',
    'testFailoverSemisyncSlavekilledAutoRejoin',
    'testFailoverSemisyncAutoRejoinSafeMSMXMS',
    'testFailoverSemisyncAutoRejoinSafeMSXMSM',
    'testFailoverSemisyncAutoRejoinSafeMSMXXXRMXMS',
    'testFailoverSemisyncAutoRejoinSafeMSMXXXRXSMS',
    'testFailoverSemisyncAutoRejoinUnsafeMSMXMS',
    'testFailoverSemisyncAutoRejoinUnsafeMSMXXXMXMS',
    'testFailoverSemisyncAutoRejoinUnsafeMSMXXXXMSM',
    'testFailoverSemisyncAutoRejoinUnsafeMSXMSM',
    'testFailoverSemisyncAutoRejoinUnsafeMSXMXXMXMS',
    'testFailoverSemisyncAutoRejoinUnsafeMSXMXXXMSM',
    'testFailoverSemisyncAutoRejoinUnsafeMSMXXXRMXMS',
    'testFailoverSemisyncAutoRejoinUnsafeMSMXXXRXMSM',
    'testFailoverSemisyncAutoRejoinMSSXMSXXMSXMSSM',
    'testFailoverSemisyncAutoRejoinMSSXMSXXMXSMSSM',
  ].map((name) => [name, outage] as const),
  [
    'testSlaReplAllSlavesStopNoSemiSync',
    'the figures of availability would keep what the test did to them: they are not changed for a test',
  ],
  [
    'testSlaReplAllSlavesDelayNoSemiSync',
    'the figures of availability would keep what the test did to them: they are not changed for a test',
  ],
  ['testMasterSuspect', 'it checks the memory of the manager without a fault: the specs of the project do that'],
  ['testMasterNil', 'it checks the memory of the manager without a fault: the specs of the project do that'],
])

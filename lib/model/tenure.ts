// What an instance of the manager is to a cluster, where several instances share the fleet.

/** owner: it acts. standby: another instance does, or will. unproven: it was the owner and cannot prove that it still is. */
export type Standing = 'owner' | 'standby' | 'unproven'

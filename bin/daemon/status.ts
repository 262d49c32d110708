// Exit statuses of the daemon's commands besides 0 and 1.

/** The configuration, or the command line, is not valid. */
export const CONFIGURATION_FAULT = 2

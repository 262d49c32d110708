// The face of the room: grants, users and what they may do.
export { type Access, type AccessOptions, createAccess } from './access.js'
export { expandGrant, type Grant, grants } from './grants.js'
export { isLocal, isLoopback, type Origin } from './local.js'
export { roleNames } from './roles.js'
export { type ClusterUser, listUsers } from './users.js'

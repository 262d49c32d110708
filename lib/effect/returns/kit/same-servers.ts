// The two questions around a program that logs in on its own, for the ways back that the cluster actor carries out itself.
export { withSameServers } from '../../../connect/sql/same-servers.js'

// The commands of all route rows. The build replaces this module in bundles by its value: the client then loads no rows and schemas.
import { routes } from '../../../http/api/index.js'
import { describeRow, type RowCommand } from './describe.js'

export const rowCommands: readonly RowCommand[] = routes.map(describeRow)

// GTIDs as clients read them: MariaDB's one by one; sets of MySQL stand elsewhere as text.
import { mariadbGtids } from '../../../../lib/model/server/gtid.js'

/** `0-1-150,1-2-7` as objects; empty for a text of another form. */
export const gtidList = (text: string) =>
  mariadbGtids(text).map(({ domain, origin, sequence }) => ({ domainId: domain, serverId: origin, seqNo: sequence }))

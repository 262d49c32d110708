// Goes to a cluster by its name.
import { useLocation } from 'preact-iso/router'
import type { FleetRow } from '../../../../lib/model/fleet/row.js'
import { StateMark } from '../parts/basic/state-mark.js'
import { Combobox } from '../parts/choose/combobox.js'
import { Dialog } from '../parts/overlay/dialog.js'
import { fleet } from '../store/fleet/fleet.js'

export function Switcher({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { route } = useLocation()
  return (
    <Dialog title="Go to a cluster" open={open} onClose={onClose}>
      <Combobox
        label="Cluster"
        options={fleet.list()}
        nameOf={({ name }: FleetRow) => name}
        show={({ name, state }) => (
          <span class="row">
            <StateMark state={state} compact /> {name}
          </span>
        )}
        onChoose={({ name }) => {
          onClose()
          route(`/c/${encodeURIComponent(name)}`)
        }}
        open
        autofocus
      />
    </Dialog>
  )
}

// The zones that appear while a server is dragged, by name; those that are forbidden say why.
import { useEffect, useRef } from 'preact/hooks'
import type { Dragging, Zone } from './zones.js'

export function DropZones({ dragging }: { readonly dragging: Dragging }) {
  const ghost = useRef<HTMLParagraphElement>(null)
  const { x, y, server, zones, over } = dragging
  useEffect(() => {
    ghost.current?.style.setProperty('--x', `${x}px`)
    ghost.current?.style.setProperty('--y', `${y}px`)
  }, [x, y])
  const zone = zones.find(({ id }) => id === over)
  return (
    <>
      <div class="zones">
        {zones.flatMap((each) =>
          each.at === undefined ? [<ZoneView key={each.id} zone={each} isOver={each.id === over} />] : [],
        )}
      </div>
      <p class="zones-status" role="status">
        {zone === undefined
          ? `Drop ${server.name} on a named zone, or on the server that it shall replicate from; Esc ends it.`
          : zone.refused === undefined
            ? `${zone.action.title}: shows the plan, does nothing yet.`
            : `Not here. ${zone.refused}`}
      </p>
      <p class="zones-ghost" ref={ghost} aria-hidden="true">
        {server.name}
        {zone && zone.refused === undefined && <small>{zone.name}</small>}
      </p>
    </>
  )
}

const ZoneView = ({ zone, isOver }: { readonly zone: Zone; readonly isOver: boolean }) => (
  <div class={`zone ${zone.refused === undefined ? '' : 'zone-no'} ${isOver ? 'zone-over' : ''}`} data-zone={zone.id}>
    {zone.name}
    {zone.refused !== undefined && <small>{zone.refused}</small>}
  </div>
)

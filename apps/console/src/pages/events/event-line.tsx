import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Event } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Instant } from '../../parts/instant.tsx';
import { FiredRules } from './fired-rules.tsx';
import { KindSign } from './kind-sign.tsx';

interface EventLineProps {
  readonly event: Event;
  /** With the date, for lists that span several days. */
  readonly isDated?: boolean;
  /** What distinguishes the event here: its client or its amount. */
  readonly children: ReactNode;
}

/** An event on one line, linked to its page. */
export function EventLine({ event, isDated, children }: EventLineProps): ReactElement {
  const workspace = useWorkspaceName();
  return (
    <Link
      to="/w/$workspace/events/$event"
      params={{ workspace, event: event.id }}
      className={`grid min-h-8 items-center gap-3 px-4 py-1 wrap-anywhere hover:bg-sunken ${isDated === true ? 'grid-cols-[9rem_6.25rem_minmax(4.5rem,1fr)_minmax(0,auto)]' : 'grid-cols-[4rem_6.25rem_minmax(4.5rem,1fr)_minmax(0,auto)]'}`}
    >
      <span className="text-xs text-soft">
        <Instant at={event.loggedAt} as={isDated === true ? 'instant' : 'clock'} />
      </span>
      <KindSign kind={event.kind} />
      {children}
      <FiredRules {...event} wrap />
    </Link>
  );
}

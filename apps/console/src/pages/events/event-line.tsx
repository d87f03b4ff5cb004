import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Event } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Instant } from '../../parts/instant.tsx';
import { FiredRules } from './fired-rules.tsx';
import { KindSign } from './kind-sign.tsx';

interface EventLineProps {
  readonly event: Event;
  /** What matters of it here: whose it is, or how much. */
  readonly children: ReactNode;
}

/** An event in one line, as a way to its page. */
export function EventLine({ event, children }: EventLineProps): ReactElement {
  const workspace = useWorkspaceName();
  return (
    <Link
      to="/w/$workspace/events/$event"
      params={{ workspace, event: event.id }}
      className="grid h-8 grid-cols-[4.5rem_7rem_minmax(0,1fr)_auto] items-center gap-3 px-4 hover:bg-sunken"
    >
      <span className="text-xs text-soft">
        <Instant at={event.loggedAt} as="clock" />
      </span>
      <KindSign kind={event.kind} />
      {children}
      <FiredRules {...event} />
    </Link>
  );
}

import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Event } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { OutcomeBadge } from '../alerts/outcome-badge.tsx';
import { ActionBadge } from '../deliveries/action-badge.tsx';
import { useActionName } from '../deliveries/use-action-name.ts';

interface EventOutcomeProps {
  readonly event: Pick<Event, 'label' | 'actions'>;
  /** Shows all actions in full, one per line. */
  readonly wrap?: boolean;
}

/** The outcome of an event: its label and its actions. */
export function EventOutcome({ event: { label, actions = [] }, wrap }: EventOutcomeProps): ReactElement {
  const workspace = useWorkspaceName();
  const actionName = useActionName();
  return (
    <span className={`inline-flex items-center gap-x-2 gap-y-1 align-middle ${wrap === true ? 'flex-wrap' : ''}`}>
      {label === undefined ? null : <OutcomeBadge outcome={label} />}
      {actions.map(({ id, action, state }) => (
        <Link
          key={id}
          to="/w/$workspace/deliveries/$action"
          params={{ workspace, action: id }}
          className="inline-flex items-center gap-1.5 hover:text-fence hover:underline"
        >
          <ActionBadge state={state} />
          {actionName(action)}
        </Link>
      ))}
    </span>
  );
}

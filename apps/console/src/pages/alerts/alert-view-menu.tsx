import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { SavedViews } from '../../parts/saved-views.tsx';
import { type AlertFilters, type AlertView, readAlertFilters } from './alerts-search.ts';

interface AlertViewMenuProps {
  readonly view: Exclude<AlertView, 'suppressed'>;
  readonly filters: AlertFilters;
}

/** Views of the queue. */
export function AlertViewMenu({ view, filters }: AlertViewMenuProps): ReactElement {
  const navigate = useNavigate({ from: '/w/$workspace/alerts' });
  return (
    <SavedViews
      list="alerts"
      shown={{
        sort: 'queue',
        ...filters,
        state: view === 'closed' ? 'closed' : 'open',
        ...(view === 'mine' ? { assigned: 'me' } : {}),
      }}
      onApply={(stored) =>
        void navigate({
          search: { ...(stored['state'] === 'closed' ? { view: 'closed' } : {}), ...readAlertFilters(stored) },
        })
      }
    />
  );
}

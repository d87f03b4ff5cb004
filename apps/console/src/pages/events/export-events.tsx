import { Download } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../../api/api-problem.ts';
import type { Event } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { csvOf } from '../../format/csv.ts';
import { saveText } from '../../format/save-text.ts';
import { Button } from '../../parts/button.tsx';
import { useNotices } from '../../parts/notices.tsx';

const csvHead = [
  'id',
  'kind',
  'status',
  'loggedAt',
  'eventAt',
  'channelId',
  'client',
  'session',
  'country',
  'amount',
  'currency',
  'payee',
  'payeeBank',
  'fired',
  'shadow',
  'label',
] as const satisfies readonly (keyof Event)[];

function textOf(value: string | number | readonly number[] | undefined): string {
  return typeof value === 'object' ? value.join(' ') : String(value ?? '');
}

interface ExportEventsProps {
  /** The ids of the events to export. */
  readonly find: () => Promise<readonly string[]>;
  readonly disabled: boolean;
}

/** Exports events as a file. They are requested again, so that the audit log records the export. */
export function ExportEvents({ find, disabled }: ExportEventsProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const personal = usePersonal();
  const notices = useNotices();
  const [isFinding, setFinding] = useState(false);
  const take = useDoing('exportEvents', [], {
    done: ({ items }) => {
      const rows = items.map((one) => csvHead.map((name) => textOf(one[name])));
      saveText('events.csv', csvOf(csvHead, rows), 'text/csv');
      notices.say(t('find.exported', { count: items.length }));
    },
    failed: ({ message }) => notices.warn(message),
  });
  const save = async (): Promise<void> => {
    setFinding(true);
    try {
      const events = await find();
      if (events.length > 0) take.mutate({ params: { workspace }, body: { events, ...personal } });
    } catch (error) {
      notices.warn((error as ApiProblem).message);
    } finally {
      setFinding(false);
    }
  };
  return (
    <Button small busy={isFinding || take.isPending} disabled={disabled} onClick={() => void save()}>
      <Download aria-hidden className="size-3.5" />
      {t('find.export')}
    </Button>
  );
}

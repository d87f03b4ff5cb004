import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';

const everyMs = 5_000;

/**
 * Accepted events that are probably mistakes of the sender, with the latest event of each kind. Hidden if there are
 * none.
 */
export function Warnings(): ReactElement | null {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const warnings = useQuery(asking('readIntegration', { params: { workspace } }, everyMs)).data?.warnings ?? [];
  if (warnings.length === 0) return null;
  return (
    <Panel title={t('integration.warnings')} hint={t('integration.warningsHint')} flush>
      <ul className="pb-1 text-sm">
        {warnings.map(({ code, lastDay, lastAt, event }) => (
          <li key={code} className="flex items-start gap-3 border-b border-line px-4 py-2.5 last:border-0">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
            <div className="min-w-0 grow">
              <p className="font-medium">
                <Told text={t(`integration.warning.${code}.is`)} />
              </p>
              <p className="text-xs text-soft">
                <Told text={t(`integration.warning.${code}.mend`)} />
              </p>
            </div>
            <p className="shrink-0 text-right text-xs text-soft">
              {t('integration.eventsOf', { count: lastDay, shown: formats.number(lastDay) })} ·{' '}
              <Instant at={lastAt} as="ago" />
              <Link
                to="/w/$workspace/events/$event"
                params={{ workspace, event }}
                className="block text-fence hover:underline"
              >
                {t('integration.lastOfThem')}
              </Link>
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Text between backticks is a name of the interface. */
function Told({ text }: { readonly text: string }): ReactElement {
  return (
    <>
      {text.split('`').map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          <code key={at} className="font-mono text-[0.92em]">
            {part}
          </code>
        ),
      )}
    </>
  );
}

import { TriangleAlert, Unplug } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useLive } from '../api/live.ts';
import { useWorkspace } from '../api/use-workspace.ts';
import { Badge } from '../parts/badge.tsx';

/** Smaller backlogs are normal. */
const lagMsShown = 5_000;

/** Warnings: observe-only mode, late decisions. Hidden in normal operation. */
export function ServiceState(): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspace();
  const { numbers } = useLive();
  if (workspace === undefined) return null;
  return (
    <div role="status" className="flex items-center gap-2">
      {workspace.settings.deliver === 'observe' ? (
        <Badge tone="cool" title={t('shell.observeHint')}>
          {t('shell.observe')}
        </Badge>
      ) : null}
      <StreamState />
      {numbers !== undefined && numbers.lagMs > lagMsShown ? (
        <Badge tone="bad">
          <TriangleAlert aria-hidden className="size-3.5" />
          {t('shell.behind', { count: numbers.behind })}
        </Badge>
      ) : null}
    </div>
  );
}

/** Live data may be stale. */
function StreamState(): ReactElement | null {
  const { t } = useTranslation();
  const { state } = useLive();
  if (state !== 'broken' && state !== 'refused') return null;
  return (
    <Badge tone="warn" title={t(`shell.streamHint.${state}`)}>
      <Unplug aria-hidden className="size-3.5" />
      {t(`shell.stream.${state}`)}
    </Badge>
  );
}

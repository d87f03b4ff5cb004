import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { useSpan } from '../../url/use-span.ts';

/** Firings of a rule in the chosen time range, live and in shadow, linked to the events. */
export function RuleHealth({ reason }: { readonly reason: number }): ReactElement | null {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const overview = useQuery(asking('readOverview', { params: { workspace }, query: useSpan() })).data;
  const countIn = (list: 'rules' | 'shadowRules'): number =>
    overview?.[list].find(({ key }) => key === String(reason))?.count ?? 0;
  const [live, shadow] = [countIn('rules'), countIn('shadowRules')];
  if (live + shadow === 0) return null;
  return (
    <Link to="/w/$workspace/events" params={{ workspace }} search={{ reason }} className="font-medium hover:underline">
      {live === 0 ? null : (
        <span className="text-bad">{t('policy.firedLive', { count: live, shown: formats.number(live) })}</span>
      )}{' '}
      {shadow === 0 ? null : (
        <span className="text-watch">{t('policy.firedShadow', { count: shadow, shown: formats.number(shadow) })}</span>
      )}
    </Link>
  );
}

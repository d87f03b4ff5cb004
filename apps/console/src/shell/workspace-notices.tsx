import { Link } from '@tanstack/react-router';
import { OctagonAlert, PauseCircle } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLive } from '../api/live.ts';
import { useWorkspaceName } from '../api/use-workspace.ts';

/** Banner for problems of the whole workspace, with their remedies. Hidden if there are none. */
export function WorkspaceNotices(): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { numbers } = useLive();
  if (numbers === undefined) return null;
  const { refusedPolicy, paused } = numbers;
  const link = 'font-medium whitespace-nowrap underline';
  return (
    <>
      {refusedPolicy === undefined ? null : (
        <Notice look="bg-bad-wash text-bad" sign={<OctagonAlert aria-hidden className="mt-0.5 size-4 shrink-0" />}>
          <b className="font-semibold">{t('shell.refusedPolicy')}</b>{' '}
          <span className="text-ink">{t('shell.refusedPolicyHint')}</span>{' '}
          <Link to="/w/$workspace/policy" params={{ workspace }} search={{ tab: 'versions' }} className={link}>
            {t('shell.toVersions')}
          </Link>
          <code className="block font-mono text-xs break-words text-ink">{refusedPolicy}</code>
        </Notice>
      )}
      {paused ? (
        <Notice look="bg-warn-wash text-warn" sign={<PauseCircle aria-hidden className="mt-0.5 size-4 shrink-0" />}>
          <b className="font-semibold">{t('shell.paused')}</b> <span className="text-ink">{t('shell.pausedHint')}</span>{' '}
          <Link to="/w/$workspace/deliveries" params={{ workspace }} className={link}>
            {t('shell.toDeliveries')}
          </Link>
        </Notice>
      ) : null}
    </>
  );
}

interface NoticeProps {
  readonly look: string;
  readonly sign: ReactElement;
  readonly children: ReactNode;
}

function Notice({ look, sign, children }: NoticeProps): ReactElement {
  return (
    <div role="status" className={`flex items-start gap-2.5 border-b border-line px-6 py-2 text-sm ${look}`}>
      {sign}
      <p className="min-w-0">{children}</p>
    </div>
  );
}

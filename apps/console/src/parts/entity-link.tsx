import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entity } from '../api/operations.generated.ts';
import { useWorkspaceName } from '../api/use-workspace.ts';

interface EntityLinkProps {
  readonly kind: Entity['kind'];
  readonly name: string | undefined;
  /** Absent: no link, for example because the client was erased. */
  readonly of: string | undefined;
  readonly erased?: boolean;
  readonly mono?: boolean;
}

/** An entity, linked to its page. */
export function EntityLink({ kind, name, of, erased, mono }: EntityLinkProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  if (name === undefined) return <span className="text-soft">{erased === true ? t('event.erased') : '–'}</span>;
  const look = mono === true ? 'font-mono text-xs wrap-anywhere' : 'font-medium wrap-anywhere';
  if (of === undefined) return <span className={look}>{name}</span>;
  return (
    <Link
      to="/w/$workspace/about/$kind/$ref"
      params={{ workspace, kind, ref: of }}
      className={`${look} hover:text-fence hover:underline`}
    >
      {name}
    </Link>
  );
}

import { type ReactElement, type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Sign } from '../../shell/sign.tsx';

interface LoginFrameProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

/** Frame of the pages before login: login, first administrator and invitation. */
export function LoginFrame({ title, lead, children }: LoginFrameProps): ReactElement {
  const { t } = useTranslation();
  useEffect(() => {
    const before = document.title;
    document.title = `${title} · Ringfence`;
    return () => {
      document.title = before;
    };
  }, [title]);
  return (
    <main className="grid min-h-screen grid-cols-1 md:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <div aria-hidden className="relative overflow-hidden bg-[#10231d] max-md:hidden">
        <Rings />
        <div className="absolute bottom-10 left-10 flex items-center gap-3 text-[#f0f5f2]">
          <Sign className="size-8" />
          <span className="text-lg font-semibold tracking-tight">Ringfence</span>
        </div>
      </div>
      <div className="grid place-items-center px-4 md:px-10">
        <div className="w-full max-w-80">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {lead === undefined ? null : <p className="mt-1 text-sm text-soft">{lead}</p>}
          {isSecureContext ? null : <p className="mt-4 rounded-md bg-warn-wash p-3 text-sm">{t('login.insecure')}</p>}
          <div className="mt-6">{children}</div>
        </div>
      </div>
    </main>
  );
}

/** Decoration: rings with an opening. */
function Rings(): ReactElement {
  const radii = [70, 130, 190, 250, 310, 370, 430, 490];
  return (
    <svg viewBox="0 0 600 600" preserveAspectRatio="xMidYMid slice" className="absolute inset-0 size-full" fill="none">
      {radii.map((radius, at) => (
        <circle
          key={radius}
          cx="300"
          cy="270"
          r={radius}
          stroke="#57c3a5"
          strokeOpacity={0.42 - at * 0.045}
          strokeWidth="2"
          strokeDasharray={`${radius * 5.2} ${radius * 1.08}`}
          transform={`rotate(${at * 38 - 60} 300 270)`}
          strokeLinecap="round"
        />
      ))}
      <circle cx="300" cy="270" r="9" fill="#57c3a5" />
    </svg>
  );
}

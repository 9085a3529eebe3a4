export interface Finding {
  ok: boolean;
  what: string;
  detail: string;
}

export function good(what: string, detail: string): Finding {
  return { ok: true, what, detail };
}

export function bad(what: string, detail: string): Finding {
  return { ok: false, what, detail };
}

import { handleAuth } from "@/lib/web/auth/auth.ts";

type Context = { params: Promise<{ nextauth: string[] }> };

async function handler(request: Request, { params }: Context): Promise<Response> {
  return handleAuth(request, (await params).nextauth);
}

export { handler as GET, handler as POST };

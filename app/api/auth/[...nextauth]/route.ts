import NextAuth from "next-auth";
import { authOptions } from "@/lib/web/auth.ts";

type Context = { params: Promise<{ nextauth: string[] }> };

// Made at each request, since a build has no secrets.
function handler(request: Request, context: Context): Promise<Response> {
  return NextAuth(request as never, context as never, authOptions());
}

export { handler as GET, handler as POST };

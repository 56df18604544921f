// Exceptions of the libraries as statuses.

#ifndef TOI_PEERS_GUARDED_HPP
#define TOI_PEERS_GUARDED_HPP

#include "toi/base.h"

#include <exception>
#include <new>

// Exceptions end here: C calls us.
template <typename Work>
toi_status guarded(const char *name, Work &&work)
{
    try {
        work();
        return TOI_OK;
    } catch (const std::bad_alloc &) {
        return toi_fail(TOI_ERROR_MEMORY, "%s: out of memory", name);
    } catch (const std::exception &e) {
        return toi_fail(TOI_ERROR_UNSUPPORTED, "%s: %s", name, e.what());
    }
}

#endif

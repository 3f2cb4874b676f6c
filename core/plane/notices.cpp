#include "plane/notices.hpp"

namespace kumi {

void Notices::tell() {
    if (is_telling_) return;
    is_telling_ = true;
    for (std::size_t i = 0; i < notices_.size(); ++i) {
        const Notice notice = notices_[i];
        if (!listener) continue;
        switch (notice.kind) {
        case Notice::Kind::touched:
            listener->touched(notice.body, notice.other, notice.obstacle, notice.point);
            break;
        case Notice::Kind::parted:
            listener->parted(notice.body, notice.other, notice.obstacle);
            break;
        case Notice::Kind::ended:
            listener->ended(notice.body, notice.why);
            break;
        case Notice::Kind::moved:
            listener->moved(notice.body);
            break;
        case Notice::Kind::watched:
            listener->watched(notice.body, notice.other, notice.entered);
            break;
        }
    }
    notices_.clear();
    is_telling_ = false;
}

}  // namespace kumi

import ReunionFlow

struct Upload: Sendable, Equatable {
  let name: String
  var isStored = false
}

final class UploadService: Sendable {
  private let all = Variable<[Upload]>([])
  private let link = Variable(true)

  var uploads: Signal<[Upload]> { all.signal }
  var isOnline: Signal<Bool> { link.signal }

  func add(_ name: String) { all.update { $0.append(Upload(name: name)) } }

  func stored(_ name: String) {
    all.update { uploads in
      for index in uploads.indices where uploads[index].name == name {
        uploads[index].isStored = true
      }
    }
  }

  func linkChanged(isOnline: Bool) { link.value = isOnline }
}

struct UploadViewModel: Sendable {
  let status: Signal<String>

  init(_ service: UploadService) {
    let waiting = service.uploads.map { uploads in uploads.count { !$0.isStored } }.distinct()
    status = combineLatest(waiting, service.isOnline).map { waiting, isOnline in
      switch (waiting, isOnline) {
      case (0, true): "All photos are stored."
      case (0, false): "Offline. All photos are stored."
      case (_, true): "\(waiting) on their way."
      case (_, false): "Offline. \(waiting) wait on this phone."
      }
    }.distinct()
  }
}

@MainActor final class Screen {
  private var status = "" { didSet { print(status) } }
  private let bag = DisposeBag()

  func show(_ model: UploadViewModel) {
    model.status.bind(to: self, \.status).store(in: bag)
  }
}

let service = UploadService()
let screen = Screen()
screen.show(UploadViewModel(service))

service.add("harbour.jpg")
transaction {
  service.add("ferry.jpg")
  service.linkChanged(isOnline: false)
}
service.linkChanged(isOnline: true)
service.stored("harbour.jpg")
service.stored("ferry.jpg")
